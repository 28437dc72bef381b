import { NotFound } from "../shared/pages";

export default function Page() {
  return <NotFound />;
}
