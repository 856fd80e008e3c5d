/** nginx, HAProxy and the like: where they are, and how a site of nginx becomes a whole configuration. */
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian keeps them where the path of an ordinary user does not lead. */
export const PROGRAM_PATH: string = `${process.env["PATH"]}${delimiter}/usr/sbin${delimiter}/usr/local/sbin`;

/** Undefined where it is not installed. */
export function programPath(name: string): string | undefined {
  return PROGRAM_PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** Writes what a distribution puts around a site, with nothing outside the folder; gives the words by which nginx runs it in the foreground. */
export function nginxArguments(folder: string, site: string): string[] {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  const around = `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\n`;
  writeFileSync(join(folder, "nginx.conf"), `${around}http {\naccess_log off;\n${paths}\n${site}\n}\n`);
  return ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
}
