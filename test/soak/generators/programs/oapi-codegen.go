// Uses the client of oapi-codegen: executes, reads the receipt, fails. Prints what it got as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"example.org/use/client"
)

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	api, err := client.NewClientWithResponses(os.Args[1], client.WithRequestEditorFn(withKey))
	if err != nil {
		log.Fatal(err)
	}
	execute := func(inputs map[string]any) *client.ExecuteOrbResponse {
		request := client.ExecuteRequest{OrbId: "demo.echo@1.0.0", Inputs: inputs}
		answer, err := api.ExecuteOrbWithResponse(ctx, "default", &client.ExecuteOrbParams{}, request)
		if err != nil {
			log.Fatal(err)
		}
		return answer
	}
	done := execute(map[string]any{"text": "hello"}).JSON200
	answer, err := api.GetReceiptWithResponse(ctx, done.Receipt.ReceiptId, &client.GetReceiptParams{})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := answer.JSON200.AsReceipt()
	if err != nil {
		log.Fatal(err)
	}
	kind, err := receipt.Statement.Discriminator()
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"status":   done.Status,
		"text":     done.Outputs["text"] == "hello",
		"verified": receipt.SignatureValid,
		"same":     receipt.ReceiptId == done.Receipt.ReceiptId,
		"of_a_run": kind == "urn:agent-orb:run:v1",
		"code":     execute(map[string]any{}).ApplicationproblemJSON422.Code,
	})
}
