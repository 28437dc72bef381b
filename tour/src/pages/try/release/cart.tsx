export default function Cart() {
  return <p className="card">The cart has one lamp.</p>;
}
