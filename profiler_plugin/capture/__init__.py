"""Recording a profile, inside the training process. Imports nothing heavier than grpc and our protos."""
