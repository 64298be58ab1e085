package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	plantstore "example.com/plantstore/plantstore"
)

func client() *plantstore.APIClient {
	configuration := plantstore.NewConfiguration()
	configuration.Servers = plantstore.ServerConfigurations{{URL: os.Getenv("PLANTSTORE_URL")}}
	return plantstore.NewAPIClient(configuration)
}

func with(token string) context.Context {
	return context.WithValue(context.Background(), plantstore.ContextAccessToken, token)
}

func errorOf(err error) int32 {
	var refusal *plantstore.GenericOpenAPIError
	if errors.As(err, &refusal) {
		if model, ok := refusal.Model().(plantstore.Error); ok {
			return model.Error
		}
	}
	return 0
}

func main() {
	plants, ctx := client().PlantsAPI, with(os.Getenv("PLANTSTORE_TOKEN"))
	id := int64(9007199254740993)
	create(plants, ctx, id, "Monstera deliciosa")
	kept, _, err := plants.GetPlant(ctx, id).Execute()
	check(err)

	for other := int64(1); other <= 2; other++ {
		check(create(plants, ctx, other, "Fern"))
	}
	pages, cursor := []int{}, ""
	for {
		request := plants.ListPlants(ctx).Limit(2)
		if cursor != "" {
			request = request.Cursor(cursor)
		}
		page, _, err := request.Execute()
		check(err)
		pages = append(pages, len(page.Data))
		if cursor = page.GetNextCursor(); cursor == "" {
			break
		}
	}

	_, _, badRequest := plants.ListPlants(ctx).Cursor("no-cursor").Execute()
	_, _, unauthorized := plants.GetPlant(with("plant_wrong"), 1).Execute()
	_, _, notFound := plants.GetPlant(ctx, 404).Execute()
	conflict := create(plants, ctx, 1, "Ficus")
	numbers := []int32{errorOf(badRequest), errorOf(unauthorized), errorOf(notFound), errorOf(conflict)}
	result, _ := json.Marshal(map[string]any{"id": fmt.Sprint(kept.Id), "pages": pages, "errors": numbers})
	fmt.Println(string(result))
}

func create(plants *plantstore.PlantsAPIService, ctx context.Context, id int64, name string) error {
	_, _, err := plants.CreatePlant(ctx).NewPlant(*plantstore.NewNewPlant(id, name)).Execute()
	return err
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
