/** An agent's links, live: as they are wanted here, and as others change them. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { Problem, rest, toProblem } from "../../kit/api.ts";
import { tools } from "../../kit/live.ts";
import { toast } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useSettled } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { LinkDesk, type LinkPorts, type LinkRow } from "./link-desk.ts";

export interface AgentLinks {
  readonly agentId: string;
  readonly desk: LinkDesk;
  /** Undefined until they have been read. */
  readonly rows: readonly LinkRow[] | undefined;
  readonly problem: Problem | undefined;
  /** Another one whenever the hub has other links than before. */
  readonly version: number;
  reload(): void;
}

export function useLinks(agentId: string): AgentLinks {
  const [rows, setRows] = useState<readonly LinkRow[]>();
  const [problem, setProblem] = useState<Problem>();
  const [version, setVersion] = useState(0);
  const reload = (): void => setVersion((before) => before + 1);
  const desk = useMemo(() => openDesk(agentId, setRows, reload), [agentId]);
  const offer = useSettled(useStore(tools), 500);
  useEffect(() => {
    // Who is still busy here is told anew when it is done.
    if (!desk.isSettled) return;
    const { wishes } = desk;
    const stop = new AbortController();
    rest.listBindings({ id: agentId }, stop.signal).then(
      (bound) => {
        if (stop.signal.aborted) return;
        setProblem(undefined);
        desk.load(bound, wishes);
      },
      (cause) => stop.signal.aborted || setProblem(toProblem(cause)),
    );
    return () => stop.abort();
  }, [desk, version, offer]);
  return { agentId, desk, rows, problem, version, reload };
}

function openDesk(agentId: string, show: (rows: readonly LinkRow[]) => void, settled: () => void): LinkDesk {
  const desk: LinkDesk = new LinkDesk(portsOf(agentId), {
    changed: () => show(desk.rows()),
    failed: ({ name }, cause) =>
      toast(t("agents.link.failed", { tool: name, reason: toProblem(cause).message }), "bad"),
    settled,
  });
  return desk;
}

function portsOf(agentId: string): LinkPorts {
  return {
    bind: (toolId, enabled) => rest.bindTool({ id: agentId, body: { toolId, enabled } }),
    change: (bindingId, enabled) => rest.changeBinding({ id: agentId, bindingId, body: { enabled } }),
    unbind: async (bindingId) => {
      await rest.unbindTool({ id: agentId, bindingId }).catch((cause) => {
        if (!(cause instanceof Problem) || cause.status !== 404) throw cause;
      });
    },
  };
}
