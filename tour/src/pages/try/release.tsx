import { Form } from "holdfast";

type Props = PageProps<"/try/release">;

export default function Release({ data: { release, isHealed, routes, next }, actions }: Props) {
  return (
    <div className="card stack">
      <p>
        This tour has one build, so this page plays the shop of which the server has two. It counts as the server does:
        three failures are enough, if the release before has answered 1,000 requests without one.
      </p>
      <p role="status">
        Release {release}{" "}
        {isHealed ? <span className="state warning">healed: /cart runs on 2.4.0</span> : "answers every page"}
      </p>
      <div className="buttons">
        <Step action={actions.deploy} label="Deploy 2.5.0, which breaks the cart" isNext={next === "deploy"} />
        <Step action={actions.visit} label="A visitor for each page" isNext={next === "visit"} />
        <Step action={actions.repair} label="Deploy the fix" isNext={next === "repair"} />
        <Step action={actions.reset} label="Begin again" isNext={false} />
      </div>
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Answered by</th>
              <th scope="col">Visitors</th>
              <th scope="col">Saw an error</th>
            </tr>
          </thead>
          <tbody>
            {routes.map(({ route, on, visitors, sawError }) => (
              <tr key={route}>
                <td>
                  <code>{route}</code>
                </td>
                <td>{on}</td>
                <td>{visitors}</td>
                <td>{sawError}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        With four real workers and two real builds: <code>tests/journeys/healing.test.ts</code>.
      </p>
    </div>
  );
}

function Step({ action, label, isNext }: { action: Props["actions"]["visit"]; label: string; isNext: boolean }) {
  return (
    <Form action={action}>
      <button className={isNext ? "button primary" : "button"} type="submit">
        {label}
      </button>
    </Form>
  );
}
