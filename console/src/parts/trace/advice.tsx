import type { ShownAdvice } from "../../server/trace/show-trace.ts";
import { useAddress } from "../address.ts";
import { inPlace } from "./in-place.ts";

/** Queries or requests in a loop, named as such, with the way out. */
export function Advice({ advice }: { advice: readonly ShownAdvice[] }) {
  const address = useAddress();
  if (advice.length === 0) return null;
  return (
    <ul className="plain advice" aria-label="Advice">
      {advice.map(({ id, name, texts: [before, after] }) => (
        <li key={id} className="breaks">
          <strong>{before}</strong>{" "}
          <a href={address({ span: id, at: undefined })} {...inPlace}>
            <code>{name}</code>
          </a>{" "}
          {after}
        </li>
      ))}
    </ul>
  );
}
