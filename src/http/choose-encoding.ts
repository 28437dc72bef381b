/** Returns the first of `offered` that the client accepts. A weight of zero is a refusal. */
export function chooseEncoding<Encoding extends string>(
  accepted: string | string[] | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (typeof accepted !== "string" || accepted === "" || accepted === "identity") return undefined;
  const names = accepted.split(",").flatMap((one) => {
    const [name = "", weight = ""] = one.split(";");
    return /^\s*q=0(\.0*)?\s*$/.test(weight) ? [] : [name.trim().toLowerCase()];
  });
  return offered.find((encoding) => names.includes(encoding));
}
