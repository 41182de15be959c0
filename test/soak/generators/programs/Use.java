import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.RuntimeApi;
import org.openapitools.client.model.ExecuteRequest;
import org.openapitools.client.model.ExecutionResult;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.Receipt;
import org.openapitools.client.model.RunStatement;

/** Uses the Java client of openapi-generator: executes, reads the receipt, fails. Prints what it got as JSON. */
public class Use {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
    client.setBearerToken(args[1]);
    RuntimeApi api = new RuntimeApi(client);
    ExecutionResult done = api.executeOrb("default", request(Map.of("text", "hello")), null, null);
    String id = done.getReceipt().getReceiptId();
    Receipt receipt = api.getReceipt(id, null, null).getReceipt();
    String code = "";
    try {
      api.executeOrb("default", request(Map.of()), null, null);
    } catch (ApiException failure) {
      code = JSON.getGson().fromJson(failure.getResponseBody(), Problem.class).getCode();
    }
    System.out.println(
        JSON.getGson()
            .toJson(
                Map.of(
                    "status", done.getStatus().getValue(),
                    "text", "hello".equals(done.getOutputs().get("text")),
                    "verified", receipt.getSignatureValid(),
                    "same", id.equals(receipt.getReceiptId()),
                    "of_a_run", receipt.getStatement().getActualInstance() instanceof RunStatement,
                    "code", code)));
  }

  private static ExecuteRequest request(Map<String, Object> inputs) {
    return new ExecuteRequest().orbId("demo.echo@1.0.0").inputs(inputs);
  }
}
