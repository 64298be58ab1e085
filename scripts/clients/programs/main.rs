use openapi::apis::configuration::Configuration;
use openapi::apis::plants_api::{create_plant, get_plant, list_plants};
use openapi::apis::Error;
use openapi::models::NewPlant;

fn with(token: &str) -> Configuration {
    let mut configuration = Configuration::new();
    configuration.base_path = std::env::var("PLANTSTORE_URL").unwrap();
    configuration.bearer_access_token = Some(token.to_owned());
    configuration
}

fn error_of<T, E>(result: Result<T, Error<E>>) -> i32 {
    match result {
        Err(Error::ResponseError(refusal)) => {
            let body: openapi::models::Error = serde_json::from_str(&refusal.content).unwrap();
            body.error
        }
        _ => 0,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let plants = with(&std::env::var("PLANTSTORE_TOKEN").unwrap());
    let id = 9007199254740993;
    create_plant(&plants, NewPlant::new(id, "Monstera deliciosa".into()), None).await.unwrap();
    let kept = get_plant(&plants, id, None, None).await.unwrap();

    for other in 1..=2 {
        create_plant(&plants, NewPlant::new(other, "Fern".into()), None).await.unwrap();
    }
    let mut pages = vec![];
    let mut cursor: Option<String> = None;
    loop {
        let page = list_plants(&plants, Some(2), cursor.as_deref(), None, None, None, None).await.unwrap();
        pages.push(page.data.len());
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }

    let errors = [
        error_of(list_plants(&plants, None, Some("no-cursor"), None, None, None, None).await),
        error_of(get_plant(&with("plant_wrong"), 1, None, None).await),
        error_of(get_plant(&plants, 404, None, None).await),
        error_of(create_plant(&plants, NewPlant::new(1, "Ficus".into()), None).await),
    ];
    println!("{{\"id\":\"{}\",\"pages\":{pages:?},\"errors\":{errors:?}}}", kept.id);
}
