import { href, navigate } from "holdfast";
import { useEffect, useRef, useState } from "react";

type Suggestion =
  | { kind: "leads"; to: string; text: string; hint: string }
  | { kind: "fills"; with: string; text: string; hint: string };

interface SuggestionsProps {
  project: number;
  box: HTMLInputElement;
  /** Index of the chosen one, -1 for none. Undefined while none is shown. */
  onShown: (chosen: number | undefined) => void;
}

/** A pause in typing. A shorter one would search for unfinished words. */
const askAfterMs = 120;

/** Suggestions for the typed text. Loaded when the box is first focused. */
export default function Suggestions({ project, box, onShown }: SuggestionsProps) {
  const { suggestions, ask, close } = useSuggestions(project);
  const [chosen, choose] = useState(-1);
  const isOpen = suggestions.length > 0;

  const take = (suggestion: Suggestion): void => {
    choose(-1);
    if (suggestion.kind === "leads") {
      close();
      box.blur();
      void navigate(suggestion.to);
      return;
    }
    box.value = suggestion.with;
    box.focus();
    ask(suggestion.with);
  };
  const pressed = (event: KeyboardEvent): void => {
    const suggestion = suggestions[chosen];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      // Cycles through the list and the box itself, which is index -1.
      const next = chosen + (event.key === "ArrowDown" ? 1 : -1);
      choose(next >= suggestions.length ? -1 : next < -1 ? suggestions.length - 1 : next);
    } else if (event.key === "Enter" && suggestion) take(suggestion);
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
  };

  useEffect(() => onShown(isOpen ? chosen : undefined), [isOpen, chosen, onShown]);
  useEffect(() => {
    const listening = new AbortController();
    box.addEventListener("focus", () => ask(box.value), listening);
    box.addEventListener("blur", close, listening);
    box.addEventListener("keydown", pressed, listening);
    box.addEventListener(
      "input",
      () => {
        choose(-1);
        ask(box.value);
      },
      listening,
    );
    return () => listening.abort();
  });
  // The box is already focused, because that loaded this component.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the text that was there
  useEffect(() => ask(box.value), []);

  return (
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
  );
}

/** Requests suggestions after a pause in typing. Responses for an earlier text are discarded. */
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
        const answer = await fetch(href("/[project]/suggest.json", { project }, search), { signal });
        if (answer.ok) setSuggestions(await answer.json());
      } catch {
        // Aborted, or no connection: the box works without suggestions too.
      }
    }, askAfterMs);
  };
  return { suggestions, ask, close };
}
