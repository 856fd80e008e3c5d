/** Tools that belong together, registered by a manager: a note goes to a file and comes back. */
import { appendFile, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { integer, type Manager, string } from "zaguan/tools";

const FILE = process.env["NOTES_FILE"] ?? join(homedir(), "zaguan-notes.txt");

const notes: Manager = (addTool) => {
  addTool({
    name: "note_write",
    description: "Writes a note down",
    properties: { text: string() },
    async handler({ text }) {
      const line = text.trim().replaceAll(/\s+/g, " ");
      if (line === "") throw new Error("There is nothing to write down");
      await appendFile(FILE, `${line}\n`);
      return true;
    },
  });

  addTool({
    name: "note_read",
    description: "Reads the last notes, the newest first",
    properties: { most: integer({ min: 1, max: 50, default: 10 }) },
    readOnly: true,
    async handler({ most }) {
      const text = await readFile(FILE, "utf8").catch(() => "");
      return text.trimEnd().split("\n").reverse().slice(0, most).join("\n") || "No notes yet";
    },
  });
};

export default notes;
