/** The exports of a public entry point. */
export interface EntryPoint {
  values: string[];
  types: string[];
  /** Violations of the rules for entry points, one sentence each. */
  breaches: string[];
}

const comment = /\/\*\*[\s\S]*?\*\//g;
const reExport = /^export\s+(type\s+)?\{([^}]*)\}\s+from\s+"#[\w/-]+"$/;

/** Reads a file of `src/exports`: documented re-exports by name, and nothing else. */
export function readEntryPoint(file: string): EntryPoint {
  const source = file.replaceAll(/^\/\/.*\n/gm, "");
  const entryPoint: EntryPoint = { values: [], types: [], breaches: [] };
  const [first = ""] = source.match(comment) ?? [];
  if (!source.startsWith("/**") || !first.includes("@module"))
    entryPoint.breaches.push("it does not begin by saying what it is for");
  // Comments become a marker, so that the comment before a statement can be detected.
  for (const statement of source.replace(first, "").replaceAll(comment, "§").split(";")) {
    const text = statement.replaceAll("§", "").trim();
    if (text === "" || text === "export {}") continue;
    const found = reExport.exec(text);
    if (!found) entryPoint.breaches.push(`\`${text}\` is not a re-export by name`);
    else addNames(entryPoint, found[1] !== undefined, found[2] ?? "");
    if (!statement.includes("§")) entryPoint.breaches.push(`\`${text}\` is not documented`);
    if (/§\s*§/.test(statement))
      entryPoint.breaches.push(`\`${text}\` has two comments; each group has a block of its own`);
  }
  entryPoint.values.sort();
  entryPoint.types.sort();
  return entryPoint;
}

function addNames(entryPoint: EntryPoint, typesOnly: boolean, names: string): void {
  for (const written of names.split(",").map((name) => name.trim())) {
    if (written === "") continue;
    const name = written.replace(/^type\s+/, "").replace(/^.*\s+as\s+/, "");
    (typesOnly || written.startsWith("type ") ? entryPoint.types : entryPoint.values).push(name);
  }
}
