import { Await } from "holdfast";

export default function Late({ data }: PageProps<"/try/break/late">) {
  return (
    <div className="card stack">
      <p className="state good">✓ This part was there at once</p>
      <Await value={data.history} fallback={<p className="state info">● The history is on its way</p>}>
        {(history) => <p>{history.join(", ")}</p>}
      </Await>
    </div>
  );
}
