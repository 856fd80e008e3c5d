/** Waits for what the hub will tell by itself. */
interface Watched<Value> {
  get(): Value;
  subscribe(listener: () => void): () => void;
}

const MOST_MS = 2_000;

/** Resolves when it is so; and also when it has not come to be, since somebody else may have changed it back. */
export function until<Value>(
  store: Watched<Value>,
  isSo: (value: Value) => boolean,
  mostMs: number = MOST_MS,
): Promise<void> {
  if (isSo(store.get())) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(end, mostMs);
    const stop = store.subscribe(() => isSo(store.get()) && end());
  });
}
