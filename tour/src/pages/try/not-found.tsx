import { Tries } from "../../try/tries.tsx";

const nowhere = [
  { href: "/no-such-page", says: "No route answers. The page for it is the one at the root." },
  {
    href: "/try/orders/10",
    says: "The route is there, the order is not: its load says notFound(), and the nearest page for it is shown, inside the layouts.",
  },
  { href: "/docs/errors/no-such-code", says: "The same in another folder, which has no such page of its own." },
];

export default function Nowhere() {
  return (
    <div className="card stack">
      <Tries
        tries={nowhere}
        link={(href) => (
          <>
            <a href={href}>{href}</a>, and{" "}
            <a href={`${href}/_data`} data-hard="">
              its data
            </a>
          </>
        )}
      />
    </div>
  );
}
