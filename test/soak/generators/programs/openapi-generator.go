// Uses the Go client of openapi-generator: executes, reads the receipt, fails. Prints what it got as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"

	"example.org/use/client"
)

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	api := client.NewAPIClient(configuration).RuntimeAPI
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, os.Args[2])
	execute := func(inputs map[string]any) (*client.ExecutionResult, error) {
		request := *client.NewExecuteRequest("demo.echo@1.0.0", inputs)
		result, _, err := api.ExecuteOrb(ctx, "default").ExecuteRequest(request).Execute()
		return result, err
	}
	done, err := execute(map[string]any{"text": "hello"})
	if err != nil {
		log.Fatal(err)
	}
	answer, _, err := api.GetReceipt(ctx, done.Receipt.ReceiptId).Execute()
	if err != nil {
		log.Fatal(err)
	}
	receipt := answer.Receipt
	_, err = execute(map[string]any{})
	var failed *client.GenericOpenAPIError
	if !errors.As(err, &failed) {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"status":   done.Status,
		"text":     done.Outputs["text"] == "hello",
		"verified": receipt.SignatureValid,
		"same":     receipt.ReceiptId == done.Receipt.ReceiptId,
		"of_a_run": receipt.Statement.RunStatement != nil,
		"code":     failed.Model().(client.Problem).Code,
	})
}
