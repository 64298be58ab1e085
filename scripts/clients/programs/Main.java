import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PlantsApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.NewPlant;
import org.openapitools.client.model.PlantPage;

public class Main {
  interface Call {
    Object send() throws ApiException;
  }

  static PlantsApi plants(String token) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("PLANTSTORE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return new PlantsApi(client);
  }

  static int errorOf(Call call) throws Exception {
    try {
      call.send();
      return 0;
    } catch (ApiException refusal) {
      return new ObjectMapper().readValue(refusal.getResponseBody(), Error.class).getError();
    }
  }

  public static void main(String[] arguments) throws Exception {
    PlantsApi plants = plants(System.getenv("PLANTSTORE_TOKEN"));
    long id = 9007199254740993L;
    plants.createPlant(new NewPlant().id(id).name("Monstera deliciosa").tag("indoor"), null);
    long read = plants.getPlant(id, null, null).getId();

    for (long other = 1; other <= 2; other++) plants.createPlant(new NewPlant().id(other).name("Fern"), null);
    List<Integer> pages = new ArrayList<>();
    String cursor = null;
    do {
      PlantPage page = plants.listPlants(2, cursor, null, null, null, null);
      pages.add(page.getData().size());
      cursor = page.getNextCursor();
    } while (cursor != null);

    List<Integer> errors = List.of(
        errorOf(() -> plants.listPlants(null, "no-cursor", null, null, null, null)),
        errorOf(() -> plants("plant_wrong").getPlant(1L, null, null)),
        errorOf(() -> plants.getPlant(404L, null, null)),
        errorOf(() -> plants.createPlant(new NewPlant().id(1L).name("Ficus"), null)));
    System.out.printf("{\"id\":\"%d\",\"pages\":%s,\"errors\":%s}%n", read, pages, errors);
  }
}
