/** `instanceof` for what was thrown, which may itself throw when it is looked at. */
export function isA<Instance>(value: unknown, Class: abstract new (...given: never[]) => Instance): value is Instance {
  try {
    return value instanceof Class;
  } catch {
    return false;
  }
}
