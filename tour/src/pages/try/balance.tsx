import { useState } from "react";
import { useScripts } from "../../parts/copy.tsx";

export default function Balance({ data: { isThrough, next } }: PageProps<"/try/balance">) {
  const scripts = useScripts();
  const [planted, setPlanted] = useState<string>();
  return (
    <div className="card stack">
      {isThrough && (
        <p role="status" className="state good">
          ✓ The second time it was open. You tried again and got through.
        </p>
      )}
      <form className="buttons" method="get">
        <input type="hidden" name="attempt" value={next} />
        <button className="button primary" type="submit">
          Open the till
        </button>
        {scripts && (
          <button type="button" className="button" onClick={() => void plantLoss().then(setPlanted)}>
            Lose a report
          </button>
        )}
      </form>
      {planted !== undefined && (
        <p role="status">
          Your browser has said that it showed <code>{planted}</code>. Its event never left.
        </p>
      )}
      <p>
        <a href="/_holdfast/1/balance" data-hard="">
          See the balance
        </a>
      </p>
    </div>
  );
}

/** Says that an error page was shown, as the reporter does. The report of the error itself is not sent. */
async function plantLoss(): Promise<string> {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const drawn = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => letters[byte % 32]).join("");
  const digest = drawn.replace(/(.{4})(?=.)/g, "$1-");
  const pages = [{ digest, at: Date.now() / 1000, route: "/try/balance" }];
  const report = { discarded_events: [], balance: { source: "tour", pages } };
  await fetch("/_holdfast/post", { method: "POST", body: `{}\n{"type":"client_report"}\n${JSON.stringify(report)}` });
  return digest;
}
