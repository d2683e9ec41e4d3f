module github.com/gpumemlint/gpumemlint

go 1.25.0

require (
	github.com/NVIDIA/go-nvml v0.12.9-0
	github.com/ebitengine/purego v0.11.3
	github.com/golangci/plugin-module-register v0.1.2
	github.com/google/pprof v0.0.0-20260115054156-294ebfa9ad83
	github.com/prometheus/client_golang v1.24.1
	github.com/rogpeppe/go-internal v1.15.0
	golang.org/x/mod v0.39.0
	golang.org/x/term v0.44.0
	golang.org/x/tools v0.49.0
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/kylelemons/godebug v1.1.0 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/prometheus/client_model v0.6.2 // indirect
	github.com/prometheus/common v0.70.1 // indirect
	github.com/prometheus/procfs v0.21.1 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)
