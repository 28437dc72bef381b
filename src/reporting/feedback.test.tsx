import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Feedback } from "./feedback.tsx";

test("Feedback is a plain form of the application's own host, whose fields have labels", () => {
  const html = renderToStaticMarkup(<Feedback words={{ question: "What is missing?" }} className="ask" />);
  expect(html).toMatch(/^<form class="ask" data-hard="" action="\/_holdfast\/feedback" method="post">/);
  expect(html).toContain('<label>What is missing? <textarea name="message" rows="4" maxLength="2000" required="">');
  expect(html).toContain("<label>Name (optional) <input");
  expect(html).toContain("<label>E-mail (optional) <input");
  expect(html).toContain('<button type="submit">Send</button>');
});

test("Feedback has a field for programs that people neither see nor reach, and asks for no contact if told so", () => {
  const html = renderToStaticMarkup(<Feedback contact={false} />);
  expect(html).toMatch(/<p hidden=""><input tabindex="-1" [^>]*aria-hidden="true" name="website"\/><\/p>/);
  expect(html).not.toContain("E-mail");
  expect(html).not.toContain('name="name"');
});
