// The page about how a plan was found: names on the map are squeezed where a machine has a wider typeface.

import { fitText } from "../web/fit-text.js";

fitText(document);
