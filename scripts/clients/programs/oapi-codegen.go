package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/plantstore/api"
)

func client(token string) *api.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("PLANTSTORE_URL"), api.WithRequestEditorFn(authorize))
	check(err)
	return client
}

func errorOf(refusals ...*api.Error) int32 {
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal.Error
		}
	}
	return 0
}

func main() {
	ctx, plants := context.Background(), client(os.Getenv("PLANTSTORE_TOKEN"))
	id := int64(9007199254740993)
	create(plants, id, "Monstera deliciosa")
	kept, err := plants.GetPlantWithResponse(ctx, id, nil)
	check(err)

	create(plants, 1, "Fern")
	create(plants, 2, "Fern")
	pages, limit := []int{}, 2
	for cursor := (*string)(nil); ; {
		page, err := plants.ListPlantsWithResponse(ctx, &api.ListPlantsParams{Limit: &limit, Cursor: cursor})
		check(err)
		pages = append(pages, len(page.JSON200.Data))
		if cursor = page.JSON200.NextCursor; cursor == nil {
			break
		}
	}

	wrong := "no-cursor"
	badRequest, err := plants.ListPlantsWithResponse(ctx, &api.ListPlantsParams{Cursor: &wrong})
	check(err)
	unauthorized, err := client("plant_wrong").GetPlantWithResponse(ctx, 1, nil)
	check(err)
	notFound, err := plants.GetPlantWithResponse(ctx, 404, nil)
	check(err)
	conflict := create(plants, 1, "Ficus")
	numbers := []int32{
		errorOf(badRequest.JSON400, badRequest.JSONDefault),
		errorOf(unauthorized.JSON400, unauthorized.JSONDefault),
		errorOf(notFound.JSON400, notFound.JSONDefault),
		errorOf(conflict.JSON400, conflict.JSONDefault),
	}
	result, _ := json.Marshal(map[string]any{"id": fmt.Sprint(kept.JSON200.Id), "pages": pages, "errors": numbers})
	fmt.Println(string(result))
}

func create(plants *api.ClientWithResponses, id int64, name string) *api.CreatePlantResponse {
	response, err := plants.CreatePlantWithResponse(context.Background(), nil, api.NewPlant{Id: id, Name: name})
	check(err)
	return response
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
