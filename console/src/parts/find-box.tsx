import { usePage } from "holdfast";

/** The one box that takes anything. A plain form: without scripts the server finds the same. */
export function FindBox({ project }: { project: number }) {
  const { search } = usePage();
  const typed = new URLSearchParams(search).get("q") ?? "";
  return (
    <search className="find">
      <form action={`/_holdfast/${project}/find`}>
        <input
          key={typed}
          type="search"
          name="q"
          data-key="/"
          defaultValue={typed}
          maxLength={1000}
          autoComplete="off"
          spellCheck={false}
          aria-label="Find: digest, event, trace, issue number, address, e-mail, or words"
          placeholder="Digest, event, trace, #issue, address, e-mail, words, is:open release:1.4*"
        />
      </form>
    </search>
  );
}
