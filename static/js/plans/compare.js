// Links the two floors and the list of a comparison: hovering or focusing a guest highlights them everywhere.
import { fitText } from "../web/fit-text.js";
import { linkListAndRoom } from "./highlight.js";

fitText(document);
linkListAndRoom();
