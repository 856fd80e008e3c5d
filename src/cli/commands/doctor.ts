/** `zaguan doctor`: looks at everything a hub needs, one by one, and says what to do about what is wrong. */
import type { Context } from "../command.ts";
import { configTarget } from "../config-target.ts";
import { checkConfiguration, checkExposure, checkServers } from "../doctor/configuration.ts";
import { checkDatabase, checkDataFolder } from "../doctor/data-folder.ts";
import { type Check, type Finding, ill, type Patient, well } from "../doctor/finding.ts";
import { checkPort } from "../doctor/running-hub.ts";
import { EXIT_FAILED } from "../failures.ts";
import { serveOptions, textOption } from "../options.ts";
import { progressBar } from "../progress.ts";
import { paint, plainLine } from "../terminal.ts";

const NODE_NEEDED = 24;

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const serve = { ...serveOptions(context), configFile: configTarget(context).file };
  const patient: Patient = { serve, env: world.env, key: textOption(context, "key"), say };
  const checks = checksFor(patient);
  const progress = progressBar(world.stderr, checks.length);
  const findings: Finding[] = [];
  for (const check of checks) {
    progress.step(check.label);
    const found = await check.run();
    findings.push(...found);
    progress.clear();
    for (const finding of found) world.stdout.write(`${shown(context, finding)}\n`);
  }
  progress.stop();
  const failed = findings.filter(({ ok }) => !ok).length;
  world.stdout.write(`${failed === 0 ? say("cli.doctor.well") : say("cli.doctor.ill", { count: failed })}\n`);
  return failed === 0 ? 0 : EXIT_FAILED;
}

function checksFor(patient: Patient): readonly Check[] {
  return [
    { label: "Node", run: async () => [checkNode(patient)] },
    { label: patient.serve.dataDir, run: () => checkDataFolder(patient) },
    { label: "store", run: () => checkDatabase(patient) },
    { label: patient.serve.configFile, run: () => checkConfiguration(patient) },
    { label: "mcpServers", run: () => checkServers(patient) },
    { label: "auth", run: () => checkExposure(patient) },
    { label: `${patient.serve.host}:${patient.serve.port}`, run: () => checkPort(patient) },
  ];
}

function checkNode({ say }: Patient): Finding {
  const version = process.versions.node;
  if (Number(version.split(".")[0]) >= NODE_NEEDED) return well(say("cli.doctor.node", { version }));
  return ill(say("cli.doctor.nodeOld", { version, needed: NODE_NEEDED }), "https://nodejs.org");
}

function shown({ world }: Context, { ok, text, advice }: Finding): string {
  const mark = ok ? paint("✓", "green", world.stdout, world.env) : paint("✗", "red", world.stdout, world.env);
  return `${mark} ${plainLine(text)}${advice === undefined ? "" : `\n  → ${plainLine(advice)}`}`;
}
