import { Link } from "holdfast";

const choices = [
  { what: "null", says: "null" },
  { what: "text", says: "A text" },
  { what: "frozen", says: "A frozen object" },
  { what: "trap", says: "An object that throws when it is looked at" },
  { what: "loop", says: "An error that is its own cause" },
] as const;

export default function Anything() {
  return (
    <div className="card stack">
      <p className="buttons">
        {choices.map(({ what, says }) => (
          <Link key={what} className="button" to="/try/break/anything" search={{ what }} prefetch="none">
            {says}
          </Link>
        ))}
      </p>
    </div>
  );
}
