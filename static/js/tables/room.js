// Squeezes texts of the room's drawing that are wider on this machine than the server estimated.

import { fitText } from "../web/fit-text.js";

const drawing = document.querySelector(".room-preview");
if (drawing) fitText(drawing);
