// Links the two floors and the list of a comparison: hovering or focusing a guest highlights them everywhere.
import { linkListAndRoom } from "./highlight.js";

linkListAndRoom();
