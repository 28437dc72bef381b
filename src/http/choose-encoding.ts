/** Returns the first of `offered` that the client accepts. A weight of zero is a refusal. */
export function chooseEncoding<Encoding extends string>(
  accepted: string | string[] | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (typeof accepted !== "string" || accepted === "" || accepted === "identity") return undefined;
  const names = namesIn(accepted);
  return offered.find((encoding) => names.includes(encoding));
}

/** Browsers send few different headers, and each of their requests has one. Bounded: a header may be any text. */
const known = new Map<string, readonly string[]>();
const knownAtMost = 100;
const knownLength = 200;

function namesIn(accepted: string): readonly string[] {
  let names = known.get(accepted);
  if (names) return names;
  names = accepted.split(",").flatMap((one) => {
    const [name = "", weight = ""] = one.split(";");
    return /^\s*q=0(\.0*)?\s*$/.test(weight) ? [] : [name.trim().toLowerCase()];
  });
  if (known.size >= knownAtMost) known.clear();
  if (accepted.length <= knownLength) known.set(accepted, names);
  return names;
}
