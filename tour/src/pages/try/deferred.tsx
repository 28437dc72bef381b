import { Await } from "holdfast";

export default function Deferred({ data }: PageProps<"/try/deferred">) {
  return (
    <div className="card stack">
      <p>{data.summary}</p>
      <Await value={data.history} fallback={<p className="state info">● The history is on its way</p>}>
        {(history) => (
          <ul>
            {history.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </Await>
      <Await value={data.forecast} fallback={<p className="state info">● The forecast is on its way</p>}>
        {(forecast) => (
          <p>
            {forecast.tomorrow} orders expected tomorrow, {forecast.week.get("Monday")} on Monday.
          </p>
        )}
      </Await>
    </div>
  );
}
