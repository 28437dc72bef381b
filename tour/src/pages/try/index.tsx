import { groups } from "../../try/experiments.ts";

export default function Everything() {
  return (
    <>
      <title>Try it – Holdfast</title>
      <meta name="description" content="Every rule of Holdfast has a page where it can be seen, tried and broken." />
      <header>
        <h1>Try it</h1>
        <p>
          Every rule of Holdfast has a page where it can be seen and broken. Each page says what the rule is, what to
          do, and shows its own source.
        </p>
      </header>
      {groups.map(({ name, experiments }) => (
        <section key={name} aria-label={name} className="everything">
          <h2>{name}</h2>
          <ul>
            {experiments.map(({ path, title, see }) => (
              <li key={path}>
                <a href={path} data-prefetch={path.startsWith("/try/break/") ? "none" : undefined}>
                  {title}
                </a>
                <p>{see}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
