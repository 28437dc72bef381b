import { href, usePage } from "holdfast";
import { useRef, useState } from "react";
import { useAlive } from "../alive.ts";
import { Icon } from "../icon.tsx";
import { whenUsed } from "../when-used.tsx";

const Suggestions = whenUsed(() => import("./suggestions.tsx"));

/** The search box. A plain form: without scripts the server finds the same. With scripts it shows suggestions. */
export function FindBox({ project }: { project: number }) {
  const { search } = usePage();
  const typed = new URLSearchParams(search).get("q") ?? "";
  return (
    <search className="find">
      <form action={href("/[project]/find", { project })}>
        <Icon name="search" />
        <Box key={typed} project={project} typed={typed} />
      </form>
    </search>
  );
}

function Box({ project, typed }: { project: number; typed: string }) {
  const alive = useAlive();
  const input = useRef<HTMLInputElement>(null);
  const [isUsed, setUsed] = useState(false);
  const [chosen, setChosen] = useState<number>();
  return (
    <>
      <input
        ref={input}
        type="search"
        id="find"
        name="q"
        data-key="/"
        defaultValue={typed}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        aria-label="Find: digest, visitor, issue number, event, trace, route, release, or words"
        placeholder="Paste a digest, or search visitors, routes, is:open release:1.4*"
        // Not only when alive: a focus from before is replayed to this handler.
        onFocus={() => setUsed(true)}
        {...(alive && {
          role: "combobox",
          "aria-expanded": chosen !== undefined,
          "aria-controls": "suggestions",
          "aria-autocomplete": "list",
          "aria-activedescendant": chosen !== undefined && chosen >= 0 ? `suggestion-${chosen}` : undefined,
        })}
      />
      {isUsed && input.current && <Suggestions project={project} box={input.current} onShown={setChosen} />}
    </>
  );
}
