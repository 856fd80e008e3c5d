/** A value as it was when it last stood still for a while: what follows from it is done once, not with each change. */
import { useEffect, useState } from "preact/hooks";

export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
