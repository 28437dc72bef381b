import { About } from "../../shared/pages";

export default function Page() {
  return <About />;
}
