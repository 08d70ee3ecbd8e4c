use super::{call, rpc};
use crate::fault::Place;

#[test]
fn the_same_call_has_one_shape_over_its_binding() {
    let get = |id: &str| call("1.0", "GetTask", serde_json::json!({ "id": id }));
    assert_eq!(get("task-000001").request_shape(), get("task-000002").request_shape());
    assert_ne!(get("task-000001").request_shape(), get("no-such-task").request_shape());
    let id = |id: &str| [b"\x12", &[u8::try_from(id.len()).unwrap()][..], id.as_bytes()].concat();
    let get = |name: &str| rpc("GetTask", &id(name));
    assert_eq!(get("a2aspec-18a0a-9").request_shape(), get("a2aspec-18a0a-10").request_shape());
    assert_eq!(Place::new(&get("x"), None).interface(), Some("1.0 grpc"));
    // What no field is for is in the bytes alone.
    assert_ne!(rpc("GetTask", b"\x12\x01t").request_shape(), rpc("GetTask", b"\x12\x01t\xc0\x3e\x01").request_shape());
}
