/** The tools of infrared, with the names, properties and answers of seed 002's module. */
import { LightAbort } from "../../light-abort.ts";
import { type MessageKey, say } from "../../messages/catalogue.ts";
import type {
  AnyUserTool,
  ArgumentsOf,
  HandlerContext,
  Properties,
  ToolAnswer,
  UserTool,
} from "../../user-tools/tool.ts";
import { described } from "../shared/tools.ts";
import { type CodeChange, parseAliases } from "./code-files.ts";
import type { CodeFolder } from "./code-folder.ts";
import { failureText, InfraredFailure } from "./failure.ts";
import { parseHex } from "./frame.ts";
import type { Learning, LearnRequest } from "./learning.ts";
import { isThere, sendCode } from "./module.ts";
import type { ModuleUser } from "./module-port.ts";

interface InfraredParts {
  readonly folder: CodeFolder;
  readonly module: ModuleUser;
  readonly learning: Learning;
  readonly form: "wait" | "background";
}

const CODE_BYTES = 800;
const NAME = { type: "string", description: "File name without .hex, for example tv_power" } as const;
const OPTIONAL = { type: "string", default: "" } as const;
const INFO = {
  description: OPTIONAL,
  aliases: { ...OPTIONAL, description: 'Separated by commas, or a JSON array: ["OK", "Enter"]' },
  category: OPTIONAL,
  device: OPTIONAL,
} as const;

/** The order of the seed, then what its second version added. */
export function infraredTools(parts: InfraredParts): readonly AnyUserTool[] {
  return [
    listCodes(parts),
    codeInfo(parts),
    sendNamed(parts),
    sendHex(parts),
    parts.form === "wait" ? learnAndWait(parts) : learnInBackground(parts),
    changeInfo(parts),
    learningResult(parts),
    testConnection(parts),
  ];
}

function listCodes({ folder }: InfraredParts): AnyUserTool {
  return tool("list_codes", { readOnly: true, properties: {} }, async (_args, { language }) => {
    const items = await folder.list();
    if (items) return { dir: folder.path, items };
    return { error: say(language, "infrared.noFolder", { path: folder.path }), items: [] };
  });
}

function codeInfo({ folder }: InfraredParts): AnyUserTool {
  return tool("get_ir_code_info", { readOnly: true, properties: { name: NAME } }, async ({ name }) => {
    return { ...(await folder.info(required("name", name))) };
  });
}

function sendNamed(parts: InfraredParts): AnyUserTool {
  return tool("send_named", { properties: { name: NAME } }, async ({ name }, context) => {
    return await send(parts, await parts.folder.read(required("name", name)), context);
  });
}

function sendHex(parts: InfraredParts): AnyUserTool {
  const hex = { type: "string", description: "The bytes of a code: b7 04 b4 04 …" } as const;
  return tool("send_hex", { properties: { hex } }, async (args, context) => {
    const code = parseHex(required("hex", args.hex));
    if (!code) throw new InfraredFailure("infrared.badHex");
    return await send(parts, code, context);
  });
}

function learnAndWait({ learning }: InfraredParts): AnyUserTool {
  const properties = { name: { ...NAME, default: "" }, ...INFO };
  return tool("learn_external", { properties }, async (args, { signal }) => {
    const request = requestOf(args);
    await learning.prepare(request);
    const { path, bytes } = await learning.learn(request, signal);
    return { saved: path, bytes };
  });
}

function learnInBackground({ learning }: InfraredParts): AnyUserTool {
  const properties = { name: { ...NAME, default: "" }, ...INFO };
  const options = { properties, text: "infrared.learn_in_background" } as const;
  return tool("learn_external", options, async (args, { language }) => {
    const request = requestOf(args);
    await learning.prepare(request);
    if (learning.isUnderWay) return { status: "busy", message: say(language, "infrared.alreadyLearning") };
    // Its caller has gone when the key is pressed. What becomes of it is told by get_learning_result.
    learning.learn(request, new LightAbort()).catch(() => {});
    const { name } = request;
    const message = name
      ? say(language, "infrared.learningStartedFor", { name })
      : say(language, "infrared.learningStarted");
    return { status: "started", message };
  });
}

function changeInfo({ folder }: InfraredParts): AnyUserTool {
  return tool("set_ir_code_info", { properties: { name: NAME, ...INFO } }, async ({ name, ...info }) => {
    return await folder.change(required("name", name), changeOf(info));
  });
}

function learningResult({ learning }: InfraredParts): AnyUserTool {
  return tool("get_learning_result", { readOnly: true, properties: {} }, (_args, { language }) => {
    return learning.result(language);
  });
}

/** A failure is its answer and no error, as in the original. */
function testConnection({ module }: InfraredParts): AnyUserTool {
  const { port } = module;
  return tool("test_connection", { readOnly: true, properties: {} }, async (_args, { language, signal }) => {
    try {
      const answers = await module.use(signal, isThere);
      return say(language, answers ? "infrared.connected" : "infrared.connectedUnanswered", { port });
    } catch (error) {
      return say(language, "infrared.notConnected", { reason: failureText(error, language) });
    }
  });
}

async function send({ module }: InfraredParts, code: Buffer, { language, signal }: HandlerContext): Promise<string> {
  if (code.length > CODE_BYTES) {
    throw new InfraredFailure("infrared.tooLong", { bytes: code.length, most: CODE_BYTES });
  }
  const hex = await module.use(signal, (line) => sendCode(line, code));
  return hex === undefined ? say(language, "infrared.sentUnanswered") : say(language, "infrared.sent", { hex });
}

function requestOf({ name, ...info }: ArgumentsOf<typeof INFO> & { readonly name: string }): LearnRequest {
  return { name: name.trim() || undefined, change: changeOf(info) };
}

/** An empty text means that the member was not given, and it stays as it is; a blank clears it. */
function changeOf({ description, aliases, category, device }: ArgumentsOf<typeof INFO>): CodeChange {
  return {
    description: description === "" ? undefined : description.trim(),
    aliases: aliases === "" ? undefined : parseAliases(aliases),
    category: category === "" ? undefined : category.trim(),
    device: device === "" ? undefined : device.trim(),
  };
}

function required(name: string, value: string): string {
  const text = value.trim();
  if (text === "") throw new InfraredFailure("infrared.missing", { name });
  return text;
}

type Handler<P extends Properties> = (
  args: ArgumentsOf<P>,
  context: HandlerContext,
) => ToolAnswer | Promise<ToolAnswer>;

/** Every failure leaves it as a text in the caller's language. */
function tool<const P extends Properties>(
  name: string,
  { properties, readOnly, text }: { properties: P; readOnly?: boolean; text?: MessageKey },
  handle: Handler<P>,
): UserTool<P> {
  return {
    name: `self.ir.${name}`,
    ...described(text ?? (`infrared.${name}` as MessageKey)),
    properties,
    readOnly,
    async handler(args, context) {
      try {
        return await handle(args, context);
      } catch (error) {
        throw new Error(failureText(error, context.language), { cause: error });
      }
    },
  };
}
