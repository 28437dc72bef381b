import { navigate, usePage } from "holdfast";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useAlive } from "./alive.ts";

type Suggestion =
  | { kind: "leads"; to: string; text: string; hint: string }
  | { kind: "fills"; with: string; text: string; hint: string };

/** A pause in typing: less would ask for words that nobody meant. */
const askAfterMs = 120;

/** The one box that takes anything. A plain form: without scripts the server finds the same. With them it proposes what may be meant. */
export function FindBox({ project }: { project: number }) {
  const { search } = usePage();
  const typed = new URLSearchParams(search).get("q") ?? "";
  return (
    <search className="find">
      <form action={`/_holdfast/${project}/find`}>
        <Box key={typed} project={project} typed={typed} />
      </form>
    </search>
  );
}

function Box({ project, typed }: { project: number; typed: string }) {
  const alive = useAlive();
  const input = useRef<HTMLInputElement>(null);
  const { suggestions, ask, close } = useSuggestions(project);
  const [chosen, choose] = useState(-1);
  const isOpen = suggestions.length > 0;

  const take = (suggestion: Suggestion): void => {
    choose(-1);
    if (suggestion.kind === "leads") {
      close();
      input.current?.blur();
      void navigate(suggestion.to);
      return;
    }
    if (input.current) input.current.value = suggestion.with;
    input.current?.focus();
    ask(suggestion.with);
  };
  const pressed = (event: KeyboardEvent): void => {
    const suggestion = suggestions[chosen];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      // Round and round, by way of the box itself, which is place -1.
      const next = chosen + (event.key === "ArrowDown" ? 1 : -1);
      choose(next >= suggestions.length ? -1 : next < -1 ? suggestions.length - 1 : next);
    } else if (event.key === "Enter" && suggestion) take(suggestion);
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
  };

  return (
    <>
      <input
        ref={input}
        type="search"
        name="q"
        data-key="/"
        defaultValue={typed}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        aria-label="Find: digest, event, trace, issue number, address, e-mail, or words"
        placeholder="Digest, event, trace, #issue, address, e-mail, words, is:open release:1.4*"
        {...(alive && {
          role: "combobox",
          "aria-expanded": isOpen,
          "aria-controls": "suggestions",
          "aria-autocomplete": "list",
          "aria-activedescendant": chosen >= 0 ? `suggestion-${chosen}` : undefined,
          onFocus: () => ask(input.current?.value ?? ""),
          onBlur: close,
          onInput: () => {
            choose(-1);
            ask(input.current?.value ?? "");
          },
          onKeyDown: pressed,
        })}
      />
      {alive && (
        <div id="suggestions" className="suggestions" role="listbox" aria-label="What may be meant" hidden={!isOpen}>
          {suggestions.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the box's, which keeps the focus
            // biome-ignore lint/a11y/useFocusableInteractive: chosen by aria-activedescendant of the box
            <div
              key={`${suggestion.kind} ${suggestion.text}`}
              id={`suggestion-${index}`}
              role="option"
              aria-selected={index === chosen}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(suggestion)}
            >
              <span>{suggestion.text}</span>
              <span className="second">{suggestion.hint}</span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** Asked for after a pause in typing; an answer to what was typed before is thrown away. */
function useSuggestions(project: number) {
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const asked = useRef(new AbortController());
  useEffect(() => () => asked.current.abort(), []);
  const close = (): void => {
    asked.current.abort();
    setSuggestions([]);
  };
  const ask = (text: string): void => {
    asked.current.abort();
    asked.current = new AbortController();
    const { signal } = asked.current;
    const search = new URLSearchParams({ q: text });
    setTimeout(async () => {
      if (signal.aborted) return;
      try {
        const answer = await fetch(`/_holdfast/${project}/suggest.json?${search}`, { signal });
        if (answer.ok) setSuggestions(await answer.json());
      } catch {
        // Aborted, or no connection: the box finds without proposals too.
      }
    }, askAfterMs);
  };
  return { suggestions, ask, close };
}
