export default function Item({ data: { item } }: PageProps<"/items/[id]">) {
  return (
    <article>
      <h1>{item.title}</h1>
      <dl>
        <dt>Price</dt>
        <dd>{item.price}</dd>
        <dt>Updated</dt>
        <dd>{item.updated}</dd>
      </dl>
      <ul>
        {item.tags.map((tag) => (
          <li key={tag}>{tag}</li>
        ))}
      </ul>
      {item.paragraphs.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </article>
  );
}
