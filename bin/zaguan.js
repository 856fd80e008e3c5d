#!/usr/bin/env node
// The command of the published package. It looks at Node's version before anything else is loaded, and is therefore
// written in plain JavaScript that a Node from 2020 can still read. What main() does not catch is not hidden here.

const NEEDED = 24;
const found = process.versions.node;

const REFUSALS = {
  __proto__: null,
  en: `zaguan needs Node ${NEEDED} or newer; this is v${found}: get it from https://nodejs.org and run zaguan again`,
  es: `zaguan necesita Node ${NEEDED} o posterior; este es v${found}: descárguelo de https://nodejs.org y vuelva a ejecutar zaguan`,
  fr: `zaguan a besoin de Node ${NEEDED} ou plus récent ; celui-ci est v${found} : prenez-le sur https://nodejs.org et relancez zaguan`,
  zh: `zaguan 需要 Node ${NEEDED} 或更高版本；当前为 v${found}：请从 https://nodejs.org 获取后重新运行 zaguan`,
};

if (Number(found.split(".")[0]) < NEEDED) {
  process.stderr.write(`${REFUSALS[process.env.ZAGUAN_LANG] || REFUSALS.en}\n`);
  process.exitCode = 1;
} else {
  import("./own-files.js")
    .then(() => import("../dist/cli/main.js"))
    .then(({ main }) => main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    })
    .catch((error) => {
      // A checkout has no dist; everything else that main() does not catch stays as loud as it is.
      if (error.code !== "ERR_MODULE_NOT_FOUND" || !String(error.message).includes("/dist/cli/main.js")) throw error;
      process.stderr.write("this is a checkout of zaguan: run it with 'npm run --silent zaguan -- …'\n");
      process.exitCode = 1;
    });
}
