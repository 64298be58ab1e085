// PocketBase as its documentation has one extend it with Go: a collection
// "plants" for signed-in users only, and one user with a token.
package main

import (
	"log"
	"os"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

// PocketBase's own pragmas, but for synchronous: its NORMAL may lose the last
// answers in a power cut, and every peer here has to keep them.
const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)" +
	"&_pragma=journal_size_limit(200000000)&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{DBConnect: connect})
	app.OnServe().BindFunc(func(event *core.ServeEvent) error {
		if err := prepare(event.App); err != nil {
			return err
		}
		return event.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

func connect(path string) (*dbx.DB, error) {
	return dbx.Open("sqlite", path+pragmas)
}

func prepare(app core.App) error {
	if _, err := app.FindCollectionByNameOrId("plants"); err == nil {
		return nil
	}
	settings := app.Settings()
	settings.Logs.MaxDays = 0 // no request log, which would be a second insert
	settings.RateLimits.Enabled = false
	if err := app.Save(settings); err != nil {
		return err
	}
	if err := app.Save(plants()); err != nil {
		return err
	}
	return issueToken(app)
}

func plants() *core.Collection {
	collection := core.NewBaseCollection("plants")
	rule := `@request.auth.id != ""`
	collection.CreateRule = &rule
	collection.ViewRule = &rule
	collection.ListRule = &rule
	collection.UpdateRule = &rule
	collection.DeleteRule = &rule
	// The record's own id holds the plant's id: one index less than a field
	// of its own. The pattern stays PocketBase's, as any other one makes it
	// look every new id up before it inserts.
	id := collection.Fields.GetByName("id").(*core.TextField)
	id.Min, id.Max, id.AutogeneratePattern = 1, 20, ""
	collection.Fields.Add(&core.TextField{Name: "name", Required: true})
	collection.Fields.Add(&core.TextField{Name: "tag"})
	return collection
}

func issueToken(app core.App) error {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	user := core.NewRecord(users)
	user.SetEmail("bench@example.com")
	user.SetRandomPassword()
	if err := app.Save(user); err != nil {
		return err
	}
	token, err := user.NewStaticAuthToken(24 * time.Hour)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv("TOKEN_FILE"), []byte(token), 0o600)
}
