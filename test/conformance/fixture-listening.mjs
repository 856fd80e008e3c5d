/** Who listens to changes (`subscriptions/listen` of revision 2026-07-28), on whichever connection of this process. */
import { readResource, UPDATE_MS } from "./fixture-definitions.mjs";
import { SUBSCRIPTION_ID } from "./fixture-envelope.mjs";

const LISTS = { tools: "toolsListChanged", prompts: "promptsListChanged", resources: "resourcesListChanged" };
const listeners = new Set();

/** Stays until the signal is aborted; `knowsTask` says whose changes may be listened to. */
export function listen({ id, params }, signal, notify, knowsTask) {
  const filter = honoured(params.notifications ?? {}, knowsTask);
  const tell = (method, more) => notify(method, { ...more, _meta: { [SUBSCRIPTION_ID]: id } });
  const listener = { filter, tell };
  tell("notifications/subscriptions/acknowledged", { notifications: filter });
  listeners.add(listener);
  const timer = setInterval(tellUpdates, UPDATE_MS, listener);
  return new Promise((resolve) => {
    // At once and not in a later turn: the next line may already be there, and change something.
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      listeners.delete(listener);
      resolve({});
    });
  });
}

export function announceChange(list) {
  for (const { filter, tell } of listeners) if (filter[LISTS[list]]) tell(`notifications/${list}/list_changed`);
}

export function announceTask(task) {
  for (const { filter, tell } of listeners)
    if (filter.taskIds?.includes(task.taskId)) tell("notifications/tasks", task);
}

function tellUpdates({ filter, tell }) {
  for (const uri of filter.resourceSubscriptions ?? []) tell("notifications/resources/updated", { uri });
}

/** What was asked for, as far as there is such a thing. */
function honoured(asked, knowsTask) {
  const lists = Object.values(LISTS).filter((name) => asked[name] === true);
  const uris = asked.resourceSubscriptions?.filter((uri) => readResource(uri));
  const taskIds = asked.taskIds?.filter(knowsTask);
  return {
    ...Object.fromEntries(lists.map((name) => [name, true])),
    ...(uris && { resourceSubscriptions: uris }),
    ...(taskIds && { taskIds }),
  };
}
