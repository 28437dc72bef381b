/** `instanceof` for a thrown value, which may itself throw when it is inspected. */
export function isA<Instance>(value: unknown, Class: abstract new (...args: never[]) => Instance): value is Instance {
  try {
    return value instanceof Class;
  } catch {
    return false;
  }
}
