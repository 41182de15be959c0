// Asks by openai-go what each line of the standard input says, and prints what it told, one line each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
)

type ask struct {
	URL      string   `json:"url"`
	Key      string   `json:"key"`
	Model    string   `json:"model"`
	Question string   `json:"question"`
	Text     string   `json:"text"`
	Stream   bool     `json:"stream"`
	Retries  int      `json:"retries"`
	Tools    []string `json:"tools"`
	Leaves   bool     `json:"leaves"`
	Image    string   `json:"image"`
	Schema   any      `json:"schema"`
}

type line struct {
	ID    int    `json:"id"`
	Do    string `json:"do"`
	Ask   ask    `json:"ask"`
	Leave bool   `json:"leave"`
}

type call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type raised struct {
	Type   string  `json:"type"`
	Status *int    `json:"status"`
	Code   *string `json:"code"`
}

type told struct {
	Text   string   `json:"text"`
	Pieces []string `json:"pieces"`
	Calls  []call   `json:"calls"`
	Finish string   `json:"finish"`
	Usage  []int64  `json:"usage"`
	Error  *raised  `json:"error"`
}

func clientOf(a ask) openai.Client {
	return openai.NewClient(option.WithBaseURL(a.URL+"/v1"), option.WithAPIKey(a.Key), option.WithMaxRetries(a.Retries))
}

func paramsOf(a ask, messages []openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: a.Model, Messages: messages, MaxCompletionTokens: openai.Int(100)}
	if a.Schema != nil {
		schema := shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "answer", Strict: openai.Bool(true), Schema: a.Schema,
		}
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: schema}
	}
	for _, name := range a.Tools {
		function := shared.FunctionDefinitionParam{Name: name, Parameters: shared.FunctionParameters{"type": "object"}}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(function))
	}
	return params
}

func questionOf(a ask) openai.ChatCompletionMessageParamUnion {
	if a.Image == "" {
		return openai.UserMessage(a.Question)
	}
	image := openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + a.Image}
	return openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
		openai.TextContentPart(a.Question), openai.ImageContentPart(image),
	})
}

// converse asks, answers each call of a tool, and asks again until there is none.
func converse(ctx context.Context, a ask, found *told) error {
	client := clientOf(a)
	messages := []openai.ChatCompletionMessageParamUnion{questionOf(a)}
	for {
		answer, err := turn(ctx, client, a, messages, found)
		if err != nil || answer == nil {
			return err
		}
		message := answer.Choices[0].Message
		found.Text, found.Finish = message.Content, answer.Choices[0].FinishReason
		if answer.JSON.Usage.Valid() || answer.Usage.TotalTokens > 0 {
			found.Usage = []int64{answer.Usage.PromptTokens, answer.Usage.CompletionTokens}
		}
		messages = append(messages, message.ToParam())
		for _, one := range message.ToolCalls {
			arguments := json.RawMessage(one.Function.Arguments)
			found.Calls = append(found.Calls, call{ID: one.ID, Name: one.Function.Name, Arguments: arguments})
			messages = append(messages, openai.ToolMessage("ok", one.ID))
		}
		if len(a.Tools) == 0 || len(message.ToolCalls) == 0 {
			return nil
		}
	}
}

func turn(
	ctx context.Context, client openai.Client, a ask, messages []openai.ChatCompletionMessageParamUnion, found *told,
) (*openai.ChatCompletion, error) {
	params := paramsOf(a, messages)
	if !a.Stream {
		return client.Chat.Completions.New(ctx, params)
	}
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	whole := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			return nil, errors.New("a chunk does not fit")
		}
		if len(chunk.Choices) == 0 || chunk.Choices[0].Delta.Content == "" {
			continue
		}
		found.Pieces = append(found.Pieces, chunk.Choices[0].Delta.Content)
		if a.Leaves {
			return nil, nil
		}
	}
	return &whole.ChatCompletion, stream.Err()
}

func raisedOf(err error) *raised {
	if err == nil {
		return nil
	}
	var failed *openai.Error
	if errors.As(err, &failed) {
		return &raised{Type: "openai.Error", Status: &failed.StatusCode, Code: &failed.Code}
	}
	var broken *ssestream.StreamError
	if errors.As(err, &broken) {
		var body struct {
			Error struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		if err := json.Unmarshal(broken.Event.Data, &body); err != nil {
			panic(err)
		}
		return &raised{Type: "ssestream.StreamError", Code: &body.Error.Code}
	}
	if errors.Is(err, context.Canceled) {
		return &raised{Type: "context.Canceled"}
	}
	text := err.Error()
	return &raised{Type: fmt.Sprintf("%T", err), Code: &text}
}

func answerOf(ctx context.Context, request line) any {
	if request.Do == "embed" {
		client := clientOf(request.Ask)
		params := openai.EmbeddingNewParams{
			Model: request.Ask.Model,
			Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String(request.Ask.Text)},
		}
		answer, err := client.Embeddings.New(ctx, params)
		if err != nil {
			return err.Error()
		}
		return answer.Data[0].Embedding
	}
	found := told{Pieces: []string{}, Calls: []call{}}
	found.Error = raisedOf(converse(ctx, request.Ask, &found))
	return found
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	output := json.NewEncoder(os.Stdout)
	var lock sync.Mutex
	leave := map[int]context.CancelFunc{}
	for input.Scan() {
		var request line
		if err := json.Unmarshal(input.Bytes(), &request); err != nil {
			panic(err)
		}
		if request.Leave {
			leave[request.ID]()
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		leave[request.ID] = cancel
		go func() {
			answer := answerOf(ctx, request)
			lock.Lock()
			defer lock.Unlock()
			if err := output.Encode(map[string]any{"id": request.ID, "answer": answer}); err != nil {
				panic(err)
			}
		}()
	}
}
