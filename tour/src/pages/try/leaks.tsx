import { useState } from "react";
import { useScripts } from "../../parts/copy.tsx";

const guards = [
  { name: "File names", says: "What is named *.server.* or lies under src/server cannot be imported by browser code." },
  { name: "Packages", says: "Neither can node:fs and its kin, nor packages that work on a server alone." },
  { name: "Variables", says: "Browser code reads PUBLIC_ variables and no others." },
  {
    name: "Values",
    says: "After the build every file for browsers is searched for the values of private variables and for secrets by their shape.",
  },
];

export default function Leaks({ data }: PageProps<"/try/leaks">) {
  const [found, setFound] = useState<{ files: number; bytes: number; leaks: readonly string[] }>();
  const scripts = useScripts();
  return (
    <div className="card stack">
      <ol className="plain-list">
        {guards.map(({ name, says }) => (
          <li key={name}>
            <strong>{name}.</strong> {says}
          </li>
        ))}
      </ol>
      <p>
        The server half of this page imports <code>src/server/canary.ts</code>, in which <code>{data.canary}</code>{" "}
        stands.
      </p>
      {scripts && (
        <p className="buttons">
          <button type="button" className="button primary" onClick={() => void search(data.canary).then(setFound)}>
            Search every script of this page for it
          </button>
        </p>
      )}
      {found && (
        <p role="status" className={`state ${found.leaks.length === 0 ? "good" : "error"}`}>
          {found.leaks.length === 0
            ? `✓ Not in any of ${found.files} files, ${Math.round(found.bytes / 1000)} kB`
            : `✗ Found in ${found.leaks.join(", ")}`}
        </p>
      )}
    </div>
  );
}

/** Fetches all scripts and styles of this document again and searches them. */
async function search(word: string): Promise<{ files: number; bytes: number; leaks: readonly string[] }> {
  const addresses = new Set(
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => new URL(name).pathname.startsWith("/_assets/")),
  );
  const texts = await Promise.all(
    [...addresses].map(async (address) => ({ address, text: await (await fetch(address)).text() })),
  );
  return {
    files: texts.length,
    bytes: texts.reduce((sum, { text }) => sum + text.length, 0),
    leaks: texts.filter(({ text }) => text.includes(word)).map(({ address }) => new URL(address).pathname),
  };
}
