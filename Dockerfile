# The commands without a window, alone in an image: docker build -t spandrel . && docker run --rm -v "$PWD:/data:ro" spandrel check .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '-s -w' -tags headless,arrow_json_stdlib,stdlibjson -o /spandrel .

FROM scratch
COPY --from=build /spandrel /spandrel
COPY LICENSE NOTICE docs/third-party.txt /licenses/
WORKDIR /data
ENTRYPOINT ["/spandrel"]
