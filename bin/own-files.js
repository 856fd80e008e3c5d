// Says at once where our own files are. They import each other by their whole names, so that Node need not ask the file system what a name
// means, nor look for the package.json that tells the format: with some 280 files that is a quarter of the time until a hub answers.
// Imported by both launchers before the first of these files, in the package after Node's version was looked at.
import { registerHooks } from "node:module";

const OWN = ["../src/", "../dist/"].map((folder) => new URL(folder, import.meta.url).href);
const FORMATS = { __proto__: null, ".ts": "module-typescript", ".js": "module" };

registerHooks({
  resolve(specifier, context, next) {
    const format = specifier.startsWith(".") ? FORMATS[specifier.slice(-3)] : undefined;
    const parent = context.parentURL;
    if (!format || !parent || !OWN.some((folder) => parent.startsWith(folder))) return next(specifier, context);
    return { url: new URL(specifier, parent).href, format, shortCircuit: true };
  },
});
