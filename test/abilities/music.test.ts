/** Music by the real mpv, into no loudspeaker; skipped, with the reason, where it is not installed. */
import { describePlaying } from "../support/abilities/playing.ts";
import { missingPrograms } from "../support/abilities/virtual-screen.ts";

const isMissing = missingPrograms("mpv").length > 0;

describePlaying("music by mpv itself", {
  player: "mpv",
  silent: ["--no-config", "--ao=null"],
  broken: ["--no-config", "--ao=oss"],
  skip: isMissing && "not installed: mpv",
});
