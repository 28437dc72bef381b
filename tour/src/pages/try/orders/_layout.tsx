const orders = ["7", "8", "9", "10"];

export default function Orders({ children }: LayoutProps<"/try/orders">) {
  return (
    <div className="card stack">
      <nav className="buttons" aria-label="Orders">
        {orders.map((id) => (
          <a key={id} className="button" href={`/try/orders/${id}`}>
            Order {id}
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
}
