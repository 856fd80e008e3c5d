/** Before anything is drawn: the theme that was chosen, so that no page flashes up in the other one. */
import { applyTheme, theme } from "./kit/theme.ts";

applyTheme(theme.get());
