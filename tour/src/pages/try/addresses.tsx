import { Tries } from "../../try/tries.tsx";

const spellings = [
  { href: "/try/orders/7/", says: "A slash at the end is redirected to the page without it." },
  { href: "/try//orders/7", says: "So are two slashes in a row." },
  { href: "/try/orders/%37", says: "An encoded 7 is a 7." },
  { href: "/try/orders/%2537", says: "An encoded percent sign would be decoded into another address: 400." },
];

export default function Addresses() {
  return (
    <div className="card stack">
      <Tries
        tries={spellings}
        link={(href) => (
          <a href={href} data-hard="">
            {href}
          </a>
        )}
      />
    </div>
  );
}
