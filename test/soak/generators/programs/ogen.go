// Uses the client of ogen: executes, reads the receipt, fails. Prints what it got as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"example.org/use/client"
)

type key string

func (k key) APIKey(context.Context, client.OperationName) (client.APIKey, error) {
	return client.APIKey{Token: string(k)}, nil
}

func main() {
	ctx := context.Background()
	api, err := client.NewClient(os.Args[1], key(os.Args[2]))
	if err != nil {
		log.Fatal(err)
	}
	execute := func(inputs client.ExecuteRequestInputs) client.ExecuteOrbRes {
		request := &client.ExecuteRequest{OrbID: "demo.echo@1.0.0", Inputs: inputs}
		answer, err := api.ExecuteOrb(ctx, request, client.ExecuteOrbParams{ID: "default"})
		if err != nil {
			log.Fatal(err)
		}
		return answer
	}
	done := execute(client.ExecuteRequestInputs{"text": []byte(`"hello"`)}).(*client.ExecutionResultHeaders).Response
	answer, err := api.GetReceipt(ctx, client.GetReceiptParams{ReceiptID: done.Receipt.ReceiptID})
	if err != nil {
		log.Fatal(err)
	}
	receipt := answer.(*client.GetReceiptOKApplicationJSON).Receipt
	failed := execute(client.ExecuteRequestInputs{})
	problem := failed.(*client.IdempotencyMismatchInvalidBodyInvalidInputsInvalidProviderProviderRejectedHeaders).Response
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"status":   done.Status,
		"text":     string(done.Outputs["text"]) == `"hello"`,
		"verified": receipt.SignatureValid,
		"same":     receipt.ReceiptID == done.Receipt.ReceiptID,
		"of_a_run": receipt.Statement.Value.Type == client.RunStatementReceiptStatement,
		"code":     problem.Code,
	})
}
