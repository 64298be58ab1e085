import { PageTitle } from "../components/page-title.tsx";

export default function PeoplePage() {
  return <PageTitle title="People" />;
}
